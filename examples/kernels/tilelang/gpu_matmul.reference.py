import torch
import torch.nn as nn


class Model(nn.Module):
    """Matrix product in half precision."""

    def forward(self, a, b):
        return torch.matmul(a, b)


M = 256
N = 256
K = 256


def get_inputs():
    return [torch.randn(M, K).half(), torch.randn(K, N).half()]


def get_init_inputs():
    return []

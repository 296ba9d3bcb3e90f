import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, A, B):
        return torch.matmul(A, B)


def get_inputs():
    return [torch.randn(480, 480), torch.randn(480, 480)]


def get_init_inputs():
    return []

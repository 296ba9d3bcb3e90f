import torch
import torch.nn as nn


class Model(nn.Module):
    """Sum of squares of each row."""

    def forward(self, x):
        return x.pow(2).sum(dim=-1)


ROWS = 1024
COLUMNS = 2048


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []

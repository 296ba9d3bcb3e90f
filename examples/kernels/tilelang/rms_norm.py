"""Root mean square normalization. Slow: each block of columns recomputes the sum of squares of its
row, and each element has a separate square root and division."""

import tilelang
import tilelang.language as T
import torch
import torch.nn as nn

BLOCK_COLUMNS = 32


@tilelang.jit(target="c", out_idx=[-1])
def rms_norm(rows, columns, eps, block_columns=BLOCK_COLUMNS):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        weight: T.Tensor((columns,), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(columns // block_columns, rows) as (block, i):
            squares = T.alloc_local((1,), "float32")
            squares[0] = 0.0
            for j in T.serial(columns):
                squares[0] += x[i, j] * x[i, j]
            for j in T.serial(block_columns):
                out[i, block * block_columns + j] = (
                    x[i, block * block_columns + j]
                    / T.sqrt(squares[0] / columns + eps)
                    * weight[block * block_columns + j]
                )

    return main


class ModelNew(nn.Module):
    def __init__(self, columns, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(columns) + 0.5)
        self.eps = eps

    def forward(self, x):
        return rms_norm(x.shape[0], x.shape[1], self.eps)(x, self.weight)

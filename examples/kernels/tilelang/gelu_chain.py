"""residual + gelu(x + bias). Slow: three kernels with full tensors between them."""

import tilelang
import tilelang.language as T
import torch
import torch.nn as nn

BLOCK_COLUMNS = 16


@tilelang.jit(target="c", out_idx=[-1])
def add_bias(rows, columns, block_columns=BLOCK_COLUMNS):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        bias: T.Tensor((columns,), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(columns // block_columns) as block:
            for i in T.serial(rows):
                for j in T.serial(block_columns):
                    out[i, block * block_columns + j] = (
                        x[i, block * block_columns + j] + bias[block * block_columns + j]
                    )

    return main


@tilelang.jit(target="c", out_idx=[-1])
def gelu(rows, columns, block_columns=BLOCK_COLUMNS):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(columns // block_columns) as block:
            for i in T.serial(rows):
                for j in T.serial(block_columns):
                    out[i, block * block_columns + j] = (
                        0.5
                        * x[i, block * block_columns + j]
                        * (
                            1.0
                            + T.tanh(
                                0.7978845608028654
                                * (
                                    x[i, block * block_columns + j]
                                    + 0.044715
                                    * x[i, block * block_columns + j]
                                    * x[i, block * block_columns + j]
                                    * x[i, block * block_columns + j]
                                )
                            )
                        )
                    )

    return main


@tilelang.jit(target="c", out_idx=[-1])
def add(rows, columns, block_columns=BLOCK_COLUMNS):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        y: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(columns // block_columns) as block:
            for i in T.serial(rows):
                for j in T.serial(block_columns):
                    out[i, block * block_columns + j] = (
                        x[i, block * block_columns + j] + y[i, block * block_columns + j]
                    )

    return main


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(columns))

    def forward(self, x, residual):
        rows, columns = x.shape
        biased = add_bias(rows, columns)(x, self.bias)
        return add(rows, columns)(residual, gelu(rows, columns)(biased))

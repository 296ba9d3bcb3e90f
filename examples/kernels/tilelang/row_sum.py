"""Sum of squares of each row. Slow: the outer loop is over columns, the inner loop over
all rows."""

import tilelang
import tilelang.language as T
import torch.nn as nn

BLOCK_ROWS = 1024


@tilelang.jit(target="c", out_idx=[-1])
def row_sum(rows, columns, block_rows=BLOCK_ROWS):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows,), "float32"),
    ):
        with T.Kernel(rows // block_rows) as block:
            sums = T.alloc_local((block_rows,), "float32")
            T.clear(sums)
            for j in T.serial(columns):
                for i in T.serial(block_rows):
                    sums[i] += x[block * block_rows + i, j] * x[block * block_rows + i, j]
            for i in T.serial(block_rows):
                out[block * block_rows + i] = sums[i]

    return main


class ModelNew(nn.Module):
    def forward(self, x):
        return row_sum(x.shape[0], x.shape[1])(x)

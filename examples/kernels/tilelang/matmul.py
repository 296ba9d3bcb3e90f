"""a @ b. Slow: small tiles, and each element is a dot product along a column of b."""

import tilelang
import tilelang.language as T
import torch.nn as nn

BLOCK_M = 8
BLOCK_N = 8
BLOCK_K = 256


@tilelang.jit(target="c", out_idx=[-1])
def matmul(m, n, k, block_m=BLOCK_M, block_n=BLOCK_N, block_k=BLOCK_K):
    @T.prim_func
    def main(
        a: T.Tensor((m, k), "float32"),
        b: T.Tensor((k, n), "float32"),
        c: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(n // block_n, m // block_m) as (bx, by):
            sums = T.alloc_local((block_m, block_n), "float32")
            T.clear(sums)
            for step in T.serial(k // block_k):
                for i in T.serial(block_m):
                    for j in T.serial(block_n):
                        for l in T.serial(block_k):
                            sums[i, j] += (
                                a[by * block_m + i, step * block_k + l]
                                * b[step * block_k + l, bx * block_n + j]
                            )
            for i in T.serial(block_m):
                for j in T.serial(block_n):
                    c[by * block_m + i, bx * block_n + j] = sums[i, j]

    return main


class ModelNew(nn.Module):
    def forward(self, a, b):
        return matmul(a.shape[0], b.shape[1], a.shape[1])(a, b)

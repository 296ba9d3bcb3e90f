"""a @ b in half precision on a GPU. Slow: small tiles, and copies do not overlap with products."""

import tilelang
import tilelang.language as T
import torch.nn as nn

BLOCK_M = 32
BLOCK_N = 32
BLOCK_K = 16
THREADS = 64
NUM_STAGES = 0


@tilelang.jit(out_idx=[-1])
def matmul(
    m,
    n,
    k,
    block_m=BLOCK_M,
    block_n=BLOCK_N,
    block_k=BLOCK_K,
    threads=THREADS,
    num_stages=NUM_STAGES,
):
    @T.prim_func
    def main(
        a: T.Tensor((m, k), "float16"),
        b: T.Tensor((k, n), "float16"),
        c: T.Tensor((m, n), "float16"),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=threads) as (bx, by):
            a_shared = T.alloc_shared((block_m, block_k), "float16")
            b_shared = T.alloc_shared((block_k, block_n), "float16")
            sums = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=num_stages):
                T.copy(a[by * block_m, step * block_k], a_shared)
                T.copy(b[step * block_k, bx * block_n], b_shared)
                T.gemm(a_shared, b_shared, sums)
            T.copy(sums, c[by * block_m, bx * block_n])

    return main


class ModelNew(nn.Module):
    def forward(self, a, b):
        return matmul(a.shape[0], b.shape[1], a.shape[1])(a, b)

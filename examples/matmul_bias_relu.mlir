// relu(A · B + bias): the compiler fuses the two elementwise steps into the matmul's dispatch.
func.func @matmul_bias_relu(%lhs: tensor<256x512xf32>, %rhs: tensor<512x1024xf32>,
                            %bias: tensor<1024xf32>) -> tensor<256x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x1024xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %product = linalg.matmul
      ins(%lhs, %rhs : tensor<256x512xf32>, tensor<512x1024xf32>)
      outs(%init : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<256x1024xf32>, tensor<1024xf32>)
      outs(%empty : tensor<256x1024xf32>) {
    ^bb0(%value: f32, %offset: f32, %out: f32):
      %sum = arith.addf %value, %offset : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
  } -> tensor<256x1024xf32>
  return %result : tensor<256x1024xf32>
}

// C = A · B, 512x768x1024 in f32: large enough to be worth tuning, small enough for short runs.
func.func @matmul(%lhs: tensor<512x1024xf32>, %rhs: tensor<1024x768xf32>) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x768xf32>) -> tensor<512x768xf32>
  %result = linalg.matmul
      ins(%lhs, %rhs : tensor<512x1024xf32>, tensor<1024x768xf32>)
      outs(%init : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %result : tensor<512x768xf32>
}

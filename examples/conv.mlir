// 3x3 convolution, NHWC image, FHWC filter: 2x16x16x32 to 2x14x14x64.
func.func @conv(%image: tensor<2x16x16x32xf32>, %filter: tensor<64x3x3x32xf32>)
    -> tensor<2x14x14x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x14x14x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x14x14x64xf32>)
      -> tensor<2x14x14x64xf32>
  %result = linalg.conv_2d_nhwc_fhwc
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<2x16x16x32xf32>, tensor<64x3x3x32xf32>)
      outs(%init : tensor<2x14x14x64xf32>) -> tensor<2x14x14x64xf32>
  return %result : tensor<2x14x14x64xf32>
}

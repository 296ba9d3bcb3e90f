// A residual bottleneck block, NHWC, on eight 28x28 images with 256 channels:
//   relu(x + expand(relu(conv3x3(relu(reduce(x))))))
// The compiler turns the 1x1 convolutions into matmuls; the 3x3 one stays a convolution.
#pixel = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>

func.func @resnet_bottleneck(%x: tensor<8x28x28x256xf32>,
                             %reduce: tensor<1x1x256x64xf32>, %reduceBias: tensor<64xf32>,
                             %filter: tensor<3x3x64x64xf32>, %filterBias: tensor<64xf32>,
                             %expand: tensor<1x1x64x256xf32>, %expandBias: tensor<256xf32>)
    -> tensor<8x28x28x256xf32> {
  %zero = arith.constant 0.0 : f32
  %emptyNarrow = tensor.empty() : tensor<8x28x28x64xf32>
  %zeroNarrow = linalg.fill ins(%zero : f32) outs(%emptyNarrow : tensor<8x28x28x64xf32>)
      -> tensor<8x28x28x64xf32>

  // Reduce 256 channels to 64.
  %reduced = linalg.conv_2d_nhwc_hwcf
      ins(%x, %reduce : tensor<8x28x28x256xf32>, tensor<1x1x256x64xf32>)
      outs(%zeroNarrow : tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32>
  %first = linalg.generic {indexing_maps = [#pixel, #channel, #pixel],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%reduced, %reduceBias : tensor<8x28x28x64xf32>, tensor<64xf32>)
      outs(%emptyNarrow : tensor<8x28x28x64xf32>) {
    ^bb0(%value: f32, %offset: f32, %out: f32):
      %sum = arith.addf %value, %offset : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
  } -> tensor<8x28x28x64xf32>

  // 3x3 convolution with zero padding.
  %padded = tensor.pad %first low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%n: index, %h: index, %w: index, %c: index):
      tensor.yield %zero : f32
  } : tensor<8x28x28x64xf32> to tensor<8x30x30x64xf32>
  %windows = linalg.conv_2d_nhwc_hwcf
      ins(%padded, %filter : tensor<8x30x30x64xf32>, tensor<3x3x64x64xf32>)
      outs(%zeroNarrow : tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32>
  %second = linalg.generic {indexing_maps = [#pixel, #channel, #pixel],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%windows, %filterBias : tensor<8x28x28x64xf32>, tensor<64xf32>)
      outs(%emptyNarrow : tensor<8x28x28x64xf32>) {
    ^bb0(%value: f32, %offset: f32, %out: f32):
      %sum = arith.addf %value, %offset : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
  } -> tensor<8x28x28x64xf32>

  // Expand to 256 channels and add the residual.
  %emptyWide = tensor.empty() : tensor<8x28x28x256xf32>
  %zeroWide = linalg.fill ins(%zero : f32) outs(%emptyWide : tensor<8x28x28x256xf32>)
      -> tensor<8x28x28x256xf32>
  %expanded = linalg.conv_2d_nhwc_hwcf
      ins(%second, %expand : tensor<8x28x28x64xf32>, tensor<1x1x64x256xf32>)
      outs(%zeroWide : tensor<8x28x28x256xf32>) -> tensor<8x28x28x256xf32>
  %result = linalg.generic {indexing_maps = [#pixel, #channel, #pixel, #pixel],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%expanded, %expandBias, %x
          : tensor<8x28x28x256xf32>, tensor<256xf32>, tensor<8x28x28x256xf32>)
      outs(%emptyWide : tensor<8x28x28x256xf32>) {
    ^bb0(%value: f32, %offset: f32, %residual: f32, %out: f32):
      %biased = arith.addf %value, %offset : f32
      %sum = arith.addf %biased, %residual : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
  } -> tensor<8x28x28x256xf32>
  return %result : tensor<8x28x28x256xf32>
}

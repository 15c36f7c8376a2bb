# Makes classifier.onnx, a classifier that a test can check by hand, and classifierInParts.onnx, which is the same with its
# weights in a file of their own. It needs the Python packages onnx and numpy. Run it in this folder:
#   python classifier.py
# Its input is x of 1 × 1 × 32 × 32. Its first label is 4 × the mean of x, its second one −4 × the mean. `maps` has both
# as maps of 8 × 8.
import numpy
from onnx import TensorProto, checker, helper, numpy_helper, save

weights = numpy_helper.from_array(numpy.array([4, -4], numpy.float32).reshape(2, 1, 1, 1), "weights")
nodes = [
    helper.make_node("Conv", ["x", "weights"], ["full"]),
    helper.make_node("AveragePool", ["full"], ["maps"], kernel_shape=[4, 4], strides=[4, 4]),
    helper.make_node("GlobalAveragePool", ["full"], ["pooled"]),
    helper.make_node("Flatten", ["pooled"], ["logits"]),
]
value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
graph = helper.make_graph(
    nodes, "classifier", [value("x", [1, 1, 32, 32])], [value("logits", [1, 2]), value("maps", [1, 2, 8, 8])], [weights]
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
checker.check_model(model)
save(model, "classifier.onnx")
save(
    model,
    "classifierInParts.onnx",
    save_as_external_data=True,
    location="classifierInParts.onnx.data",
    size_threshold=0,
)

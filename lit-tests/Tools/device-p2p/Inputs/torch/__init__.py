# Stands for a machine without PyTorch.
raise ImportError("no PyTorch")

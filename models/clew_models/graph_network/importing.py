"""The one place where torch_geometric is imported first: one thread at a time, without its news."""

import warnings

from clew_models.loading_lock import loading_alone


@loading_alone
def import_torch_geometric() -> None:
    """Import torch_geometric; what it warns of is torch's affair, users can do nothing about it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*torch.jit", category=FutureWarning)
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        import torch_geometric.nn  # noqa: F401

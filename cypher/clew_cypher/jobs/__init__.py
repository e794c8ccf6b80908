"""The ledger of background work, and the runs of the bench that are kept."""

"""Which strategy is best on given documents: data sets, metrics, the bench, its report."""

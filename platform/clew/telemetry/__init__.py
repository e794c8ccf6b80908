"""What operators see of a running Clew: log lines, request ids, metrics and traces."""

"""Training: runs that can go on, the versions they make, and which of these serve."""

"""Whether an address is this machine alone: the one rule that opens or closes doors by it."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether this host name or address (IPv6 with or without brackets) is this machine."""
    name = host.strip().strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

"""Who may do what: users and their passwords, API keys, the audit log."""

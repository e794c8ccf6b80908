"""From files, folders and URLs to plain text."""

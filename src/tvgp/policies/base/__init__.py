"""What policies share."""

"""What environments share."""

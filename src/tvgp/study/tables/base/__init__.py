"""What tables share."""

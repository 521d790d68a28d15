"""What the policies on a box share: exact posterior, search for a maximum, data kept, parameters."""

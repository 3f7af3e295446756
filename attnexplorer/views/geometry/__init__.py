"""The Geometry workspace: queries, keys, values, outputs and inputs as arrows in the plane."""

"""Response models of people who predict a model."""

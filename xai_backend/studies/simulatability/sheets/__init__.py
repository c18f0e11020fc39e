"""Import of the published study's own sheets (Hase & Bansal 2020): items, orders, explanations."""

"""Study simulatability: can people predict a model (Hase & Bansal 2020)?"""

"""progressive_reveal: how much of an image must an explanation uncover to be recognised?"""

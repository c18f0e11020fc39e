"""accept_reject: are explanations useful to a lead who accepts or rejects solutions?"""

"""What is put in the way of the verbs: rows of a table, names, files."""

HEADER = "participant,item,explained,solver,decision,rt_s\n"
ROW = "A,1,true,S,accept,1.2\n"
LONG = "x" * 300


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path

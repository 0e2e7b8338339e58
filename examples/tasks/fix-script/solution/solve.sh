#!/bin/bash
cat > distinct.sh <<'END'
#!/bin/bash
tr ' ' '\n' < "$1" | grep . | tr '[:upper:]' '[:lower:]' | sort -u | wc -l
END

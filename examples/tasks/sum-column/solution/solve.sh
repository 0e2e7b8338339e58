#!/bin/bash
tail -n +2 sales.csv | cut -d, -f3 | paste -sd+ | { read -r sum; echo $((sum)); } > total.txt

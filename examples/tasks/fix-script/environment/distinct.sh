#!/bin/bash
tr ' ' '\n' < "$1" | grep . | uniq | wc -l

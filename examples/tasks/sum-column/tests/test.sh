#!/bin/bash
# The exit code is the reward: 0 gives 1, any other one 0.
[ "$(cat total.txt)" = 424 ]

#!/bin/bash
# Tells the share of the cases that hold as the reward, and each case's result.
case_holds() {
  printf "$2" > /tmp/words
  [ "$(./distinct.sh /tmp/words)" = "$1" ] && echo 1 || echo 0
}
plain=$(case_holds 2 'one two\n')
again=$(case_holds 2 'one two one\n')
upper=$(case_holds 1 'Word word\nWORD\n')
reward=$(((plain + again + upper) * 100 / 3))
[ "$reward" = 100 ] && reward=1 || reward=0.$reward
echo "{\"reward\": $reward, \"plain\": $plain, \"again\": $again, \"upper\": $upper}" > /logs/verifier/reward.json

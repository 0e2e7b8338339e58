/** How runs and their steps are rewarded: functions by name and weight, and how long they may take. */
@NullMarked
package dev.rlm.runner.reward;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.sinks.rollout;

import org.jspecify.annotations.NullMarked;

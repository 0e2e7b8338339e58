@NullMarked
package dev.rlm.runner.reward;

import org.jspecify.annotations.NullMarked;

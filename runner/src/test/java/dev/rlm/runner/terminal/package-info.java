@NullMarked
package dev.rlm.runner.terminal;

import org.jspecify.annotations.NullMarked;

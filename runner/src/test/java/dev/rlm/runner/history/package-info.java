@NullMarked
package dev.rlm.runner.history;

import org.jspecify.annotations.NullMarked;

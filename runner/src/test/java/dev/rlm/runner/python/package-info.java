@NullMarked
package dev.rlm.runner.python;

import org.jspecify.annotations.NullMarked;

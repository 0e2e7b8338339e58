@NullMarked
package dev.rlm.runner.journal;

import org.jspecify.annotations.NullMarked;

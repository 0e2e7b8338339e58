@NullMarked
package dev.rlm.runs;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.runs.scan;

import org.jspecify.annotations.NullMarked;

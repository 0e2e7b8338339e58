@NullMarked
package dev.rlm.journal.scan;

import org.jspecify.annotations.NullMarked;

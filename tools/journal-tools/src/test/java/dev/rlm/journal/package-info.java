@NullMarked
package dev.rlm.journal;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.rlm.journal.search;

import org.jspecify.annotations.NullMarked;

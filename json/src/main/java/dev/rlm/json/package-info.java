/** JSON trees: read with limits and written in one way, whoever the reader or writer is. */
@NullMarked
package dev.rlm.json;

import org.jspecify.annotations.NullMarked;

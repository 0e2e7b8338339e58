/** JSON trees: reading within limits, and writing in one form. */
@NullMarked
package dev.rlm.json;

import org.jspecify.annotations.NullMarked;

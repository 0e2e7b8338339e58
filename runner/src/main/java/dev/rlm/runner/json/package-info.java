/** JSON of others, read into plain maps and lists, and written from them. */
@NullMarked
package dev.rlm.runner.json;

import org.jspecify.annotations.NullMarked;

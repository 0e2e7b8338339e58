/** JSON of others, read into plain maps and lists, and written from them. */
@NullMarked
package dev.rlm.cli.json;

import org.jspecify.annotations.NullMarked;

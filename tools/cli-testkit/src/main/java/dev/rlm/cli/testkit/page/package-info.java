/** Pages of documents, as tests read them: their links, and the code in them. */
@NullMarked
package dev.rlm.cli.testkit.page;

import org.jspecify.annotations.NullMarked;

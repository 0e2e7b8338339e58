/** The code that the documents show, in projects outside of this build, with the dependencies that the pages name. */
package dev.rlm.recipes.docs;

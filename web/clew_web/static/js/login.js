/* The page that asks who it is: what the tab kept was for whoever used it before. */
import { forgetAnswers } from "./kept_answers.js";

forgetAnswers();
